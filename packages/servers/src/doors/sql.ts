/** `@portico/servers/sql`: PostgreSQL, MySQL, MariaDB and SQLite for a model that may look, and write only when told. */

export type { SqlDatabase } from '../sql/databases.ts'
export { createSqlServer, type SqlServerOptions } from '../sql/server.ts'
