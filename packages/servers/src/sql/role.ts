/**
 * Refuses roles that reach beyond their database. A read-only transaction does not keep a superuser from the files and
 * programs of the database's machine; only rights do, so the server starts without them or when told to by name. Rights that a
 * role could take up count like those that it has, and the database is asked for them: what cannot be found out is refused.
 */

import { PorticoError } from '@portico/sdk/server'

type Query = (sql: string) => Promise<readonly (readonly unknown[])[]>

const ADVICE =
  'Connect as a role that may only read the tables in question, or pass the option "allowPowerfulRole" if this is meant.'

export async function checkPostgresRole(query: Query): Promise<void> {
  const rows = await query(
    `SELECT r.rolname FROM pg_catalog.pg_roles r
     WHERE pg_catalog.pg_has_role(session_user, r.oid, 'MEMBER')
       AND (r.rolsuper OR r.rolreplication OR r.rolcreaterole OR r.rolname IN (
         'pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files', 'pg_signal_backend',
         'pg_signal_autovacuum_worker', 'pg_create_subscription', 'pg_checkpoint'))
     ORDER BY r.rolsuper DESC, r.rolname`,
  )
  if (rows.length === 0) return
  const names = rows.slice(0, 5).map(([name]) => String(name))
  throw powerful(`This PostgreSQL role can act as ${names.join(', ')}, and so beyond its database.`)
}

/** Functions of PostgreSQL itself and of extensions that do something, but for those that only the caller feels. */
export async function postgresEffects(query: Query): Promise<ReadonlySet<string>> {
  const rows = await query(
    `SELECT DISTINCT p.proname FROM pg_catalog.pg_proc p
     WHERE p.provolatile = 'v' AND (p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace OR EXISTS (
       SELECT FROM pg_catalog.pg_depend d
       WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e'))`,
  )
  const names = rows.map(([name]) => String(name).toLowerCase())
  return new Set([...names, ...ALWAYS_EFFECTS].filter((name) => !FELT_BY_CALLER.has(name)))
}

/** Some versions call these stable. */
const ALWAYS_EFFECTS = ['query_to_xml', 'query_to_xmlschema', 'query_to_xml_and_xmlschema', 'cursor_to_xml', 'ts_stat']

const FELT_BY_CALLER: ReadonlySet<string> = new Set([
  ...[
    'random',
    'random_normal',
    'setseed',
    'clock_timestamp',
    'timeofday',
    'gen_random_uuid',
    'uuidv4',
    'uuidv7',
    'pg_sleep',
  ],
  ...['pg_sleep_for', 'pg_sleep_until', 'nextval', 'currval', 'lastval', 'setval', 'pg_relation_size', 'pg_table_size'],
  ...[
    'pg_indexes_size',
    'pg_total_relation_size',
    'pg_database_size',
    'pg_tablespace_size',
    'pg_column_size',
    'uuid_generate_v4',
  ],
  ...[
    'uuid_generate_v1',
    'uuid_generate_v1mc',
    'pg_notification_queue_usage',
    'pg_is_in_recovery',
    'pg_get_function_result',
  ],
  // A word of the language (`ROW`, `COUNT`) may also be the name of one; these are no calls that do anything.
  ...['any_value', 'count', 'nth_value'],
])

/** On the whole server: files, other sessions, other accounts. */
const POWERS: ReadonlySet<string> = new Set([
  ...[
    'ALL PRIVILEGES',
    'FILE',
    'SUPER',
    'SHUTDOWN',
    'RELOAD',
    'CREATE USER',
    'SET USER',
    'CONNECTION ADMIN',
    'BINLOG ADMIN',
  ],
  ...['CONNECTION_ADMIN', 'SYSTEM_USER', 'SYSTEM_VARIABLES_ADMIN', 'SET_USER_ID', 'SET_ANY_DEFINER', 'ROLE_ADMIN'],
  ...['REPLICATION SLAVE ADMIN', 'REPLICATION MASTER ADMIN', 'FEDERATED ADMIN', 'CREATE TABLESPACE', 'BINLOG_ADMIN'],
])

export async function checkMysqlRole(query: Query): Promise<void> {
  const grants = [...(await query('SHOW GRANTS'))]
  for (const role of await rolesOf(query, grants)) {
    try {
      grants.push(...(await query(`SHOW GRANTS FOR ${role}`)))
    } catch {
      throw powerful(`The rights of the role ${role}, which this account may take up, cannot be seen.`)
    }
  }
  const found = new Set(grants.flatMap(([line]) => powersIn(String(line))))
  if (found.size === 0) return
  const names = [...found].join(', ')
  throw powerful(`This account has ${names} on the whole server: it can reach files or sessions of others.`)
}

/** Every role that the account may take up, directly or through another, quoted. */
async function rolesOf(query: Query, grants: readonly (readonly unknown[])[]): Promise<string[]> {
  const hasRole = grants.some(([line]) => !/ ON /i.test(withoutQuoted(String(line))))
  if (!hasRole) return []
  const rows = await query('SELECT * FROM information_schema.APPLICABLE_ROLES').catch(() => undefined)
  if (rows === undefined) throw powerful('The roles that this account may take up cannot be seen.')
  const quoted = (name: unknown): string => `\`${String(name).replaceAll('`', '``')}\``
  // MariaDB: grantee, role, …; MySQL: user, host, grantee, its host, role, its host, …
  return rows.map((row) => (row.length > 5 ? `${quoted(row[4])}@${quoted(row[5])}` : quoted(row[1])))
}

function powersIn(grant: string): string[] {
  const [, list] = /^GRANT (.+?) ON \*\.\* TO /i.exec(grant) ?? []
  return (list ?? '').split(/,\s*/).filter((name) => POWERS.has(name.toUpperCase()))
}

function withoutQuoted(text: string): string {
  return text.replace(/`(?:[^`]|``)*`|'(?:[^']|'')*'/g, '?')
}

function powerful(finding: string): PorticoError {
  return new PorticoError('invalid-arguments', `${finding} ${ADVICE}`)
}
