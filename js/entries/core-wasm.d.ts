/** What importing a `.wasm` file gives where the host understands such an import. */
declare module "*/core.wasm" {
  const core: WebAssembly.Module;
  export default core;
}

/** The same for the reader of task files. */
declare module "*/files.wasm" {
  const files: WebAssembly.Module;
  export default files;
}
