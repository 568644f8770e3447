/** `@portico/servers/mongo`: a MongoDB database, to read. */

export type { ReadyServer } from '../../entry.ts'
export type { MongoLimits } from '../../mongo/database.ts'
export { createMongoServer, MONGO_LIMITS, type MongoOptions } from '../../mongo/server.ts'
