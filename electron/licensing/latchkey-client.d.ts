/**
 * The features that an app declares. `admin feature types` prints the declaration for a server; with it,
 * `LicensingClient.feature` accepts no other name.
 */
declare module 'latchkey-client' {
  interface OwnFeatures {}
}
