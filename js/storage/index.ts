/** Storages, and what is needed to write one: `blockedby/storage`. Nothing happens at import. */
export { isRecordStorage } from "./types.js";
export type {
  AnyStorage,
  MaybePromise,
  RecordCommit,
  RecordRow,
  RecordStorage,
  SnapshotStorage,
  StorageTraits,
} from "./types.js";
export { storageError, toStorageError } from "./errors.js";
export type { StorageErrorCode, StorageErrorInit } from "./errors.js";
export { memoryRecordStorage, memoryStorage } from "./memory.js";
export type { MemoryRecordStorage, MemoryStorage } from "./memory.js";
export { localStorageStorage } from "./local-storage.js";
export type { LocalStorageOptions, LocalStorageStorage, WebStorageLike } from "./local-storage.js";
export { indexedDbStorage } from "./indexed-db.js";
export type { IndexedDbOptions, IndexedDbStorage } from "./indexed-db.js";
export { fromKeyValue } from "./from-key-value.js";
export type { GetSetStore, ItemStore, KeyValueStorage } from "./from-key-value.js";
