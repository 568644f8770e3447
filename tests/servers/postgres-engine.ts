/** A real PostgreSQL, from a package that brings its programs, with an owner, a reader and a few tables. */

import pg from 'pg'
import { startPostgresProcess } from '../support/postgres-process.ts'

export interface PostgresEngine {
  readonly reader: string
  readonly writer: string
  readonly superuser: string
  readonly folder: string
  /** As the owner, behind the server's back. */
  ask(sql: string): Promise<unknown[][]>
  stop(): Promise<void>
}

const PASSWORD = 'horse battery staple'

export async function startPostgres(): Promise<PostgresEngine> {
  const urlAt = (port: number, user: string): string =>
    `postgres://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  const { port, folder, running } = await startPostgresProcess((at) => asking(urlAt(at, 'postgres'), 'SELECT 1'))
  const urlFor = (user: string): string => urlAt(port, user)
  const superuser = urlFor('postgres')
  await running.orStop(async () => {
    for (const sql of SETUP) await asking(superuser, sql)
  })
  return {
    reader: urlFor('reader'),
    writer: urlFor('writer'),
    superuser,
    folder,
    ask: (sql) => asking(superuser, sql),
    stop: () => running.stop(),
  }
}

const SETUP = [
  `CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'`,
  `CREATE ROLE writer LOGIN PASSWORD '${PASSWORD}'`,
  'CREATE TABLE notes (id serial PRIMARY KEY, title text NOT NULL, at timestamptz DEFAULT now(), extra jsonb)',
  `INSERT INTO notes (title, extra) SELECT 'note ' || i, '{"n": 1}' FROM generate_series(1, 500) AS i`,
  `COMMENT ON TABLE notes IS 'What people wrote down'`,
  'CREATE TABLE tags (note_id int REFERENCES notes (id), tag text, PRIMARY KEY (note_id, tag))',
  'CREATE SCHEMA hidden',
  'CREATE TABLE hidden.salaries (name text)',
  'GRANT SELECT ON notes, tags TO reader',
  'GRANT ALL ON notes, tags, notes_id_seq TO writer',
  'CREATE SEQUENCE counter',
  'GRANT ALL ON SEQUENCE counter TO reader',
  // A function that writes, and one that its owner's rights run in: the transaction stays read-only all the same.
  'CREATE FUNCTION sneaky() RETURNS int LANGUAGE sql SECURITY DEFINER AS $$ DELETE FROM notes RETURNING 1 $$',
]

async function asking(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}
