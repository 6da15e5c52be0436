const PANIC = "__blockedby_panic__";

/** What Rust said when it broke off, once; nothing where it said nothing. `src/wasm/panic.rs` leaves it here. */
export function takePanic(): string | undefined {
  const place = globalThis as { [PANIC]?: unknown };
  const panic = typeof place[PANIC] === "string" ? place[PANIC] : undefined;
  delete place[PANIC];
  return panic;
}
