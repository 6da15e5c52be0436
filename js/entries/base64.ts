/** Decodes base64. `Uint8Array.fromBase64` is faster, where it exists. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64;
  if (native !== undefined) return native.call(Uint8Array, text);
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
