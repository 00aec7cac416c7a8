/** What is used here of WebAssembly, which Node has and its types leave to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    /** In pages of 64 KiB. */
    constructor(size: { readonly initial: number; readonly maximum: number });
    readonly buffer: ArrayBuffer;
  }
}
