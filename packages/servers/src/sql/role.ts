/**
 * Refuses roles that reach beyond their database. A read-only transaction does not keep a superuser from the files and
 * programs of the database's machine; only rights do, so the server starts without them or when told to by name.
 */

import { PorticoError } from '@portico/sdk/server'

type Query = (sql: string) => Promise<readonly (readonly unknown[])[]>

const ADVICE =
  'Connect as a role that may only read the tables in question, or pass the option "allowPowerfulRole" if this is meant.'

export async function checkPostgresRole(query: Query): Promise<void> {
  const [row] = await query(
    `SELECT r.rolsuper OR EXISTS (
       SELECT FROM pg_roles p
       WHERE p.rolname IN ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
         AND pg_has_role(current_user, p.oid, 'MEMBER'))
     FROM pg_roles r WHERE r.rolname = current_user`,
  )
  if (row?.[0] !== true) return
  throw powerful('This PostgreSQL role can reach the files and programs of the database’s machine.')
}

export async function checkMysqlRole(query: Query): Promise<void> {
  const rows = await query(
    `SELECT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES
     WHERE PRIVILEGE_TYPE IN ('FILE', 'SUPER', 'SHUTDOWN')
       AND GRANTEE = CONCAT('''', SUBSTRING_INDEX(CURRENT_USER(), '@', 1), '''@''', SUBSTRING_INDEX(CURRENT_USER(), '@', -1), '''')`,
  )
  if (rows.length === 0) return
  const names = rows.map(([name]) => String(name)).join(', ')
  throw powerful(`This account has ${names} on the whole server: it can reach files of the database’s machine.`)
}

function powerful(finding: string): PorticoError {
  return new PorticoError('invalid-arguments', `${finding} ${ADVICE}`)
}
