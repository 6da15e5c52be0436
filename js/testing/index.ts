/** For tests of storages and of what uses them: `blockedby/testing`. Needs no test framework. */
export { storageContract } from "./contract.js";
export type { ContractContext, ContractOptions, MakeStorage } from "./contract.js";
export { simulatedClock } from "./clock.js";
export type { SimulatedClock, SimulatedTimer } from "./clock.js";
export { faultyStorage } from "./faulty.js";
export type { Fault, FaultPlan, FaultyCall, FaultyControls } from "./faulty.js";
