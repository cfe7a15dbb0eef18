/**
 * What an app declares of its own features. `admin feature types` prints the declaration for a server; with it,
 * `LicensingClient.feature` takes no other name.
 */
declare module 'latchkey-client' {
  interface OwnFeatures {}
}
