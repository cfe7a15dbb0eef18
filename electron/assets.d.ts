/** Images that the build writes into the bundle as data URLs. */
declare module '*.png?inline' {
  const dataUrl: string;
  // biome-ignore lint/style/noDefaultExport: that is what an import of a file gives
  export default dataUrl;
}
