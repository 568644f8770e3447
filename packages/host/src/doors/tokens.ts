/** `@portico/host/tokens`: where tokens are kept beyond one machine, and a key for them from the system's keyring. */

export {
  createKeyringKey,
  type KeyringEntry,
  type KeyringKeyOptions,
  type KeyringLibrary,
} from '../tokens/keyring-key.ts'
export { createRedisTokenStore, type RedisClient, type RedisTokenStoreOptions } from '../tokens/redis-store.ts'
