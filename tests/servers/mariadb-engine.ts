/** A real MariaDB: the system's own, where it is installed. */

import { existsSync } from 'node:fs'
import mysql from 'mysql2/promise'
import { eventually, makeDataFolder, newData, runOnce, startProcess } from '../support/database-process.ts'
import { freePort } from '../support/free-port.ts'

export interface MariadbEngine {
  readonly reader: string
  readonly writer: string
  readonly powerful: string
  readonly folder: string
  ask(sql: string): Promise<unknown[][]>
  stop(): Promise<void>
}

const PASSWORD = 'horse battery staple'
const SERVER = '/usr/sbin/mariadbd'

/** Why there is none, and what would bring it. */
export function missingMariadb(): string | undefined {
  return existsSync(SERVER) ? undefined : `there is no ${SERVER} (apt-get install mariadb-server)`
}

export async function startMariadb(): Promise<MariadbEngine> {
  const folder = makeDataFolder('mariadb')
  const data = newData('mariadb', folder, (target) =>
    runOnce(
      '/usr/bin/mariadb-install-db',
      ['--no-defaults', `--datadir=${target}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
      folder,
    ),
  )
  const port = await freePort()
  const socket = `${folder}/socket`
  const running = startProcess(
    SERVER,
    [
      '--no-defaults',
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--tmpdir=${folder}`,
      `--pid-file=${folder}/pid`,
    ],
    folder,
  )
  const ask = (sql: string): Promise<unknown[][]> => asking(socket, sql)
  await running.orStop(async () => {
    await eventually(() => ask('SELECT 1'))
    for (const sql of SETUP) await ask(sql)
  })
  const urlFor = (user: string): string => `mariadb://${user}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/lab`
  return {
    reader: urlFor('reader'),
    writer: urlFor('writer'),
    powerful: urlFor('powerful'),
    folder,
    ask,
    stop: () => running.stop(),
  }
}

const SETUP = [
  'CREATE DATABASE lab',
  'CREATE DATABASE hidden',
  'CREATE TABLE lab.notes (id INT PRIMARY KEY AUTO_INCREMENT, title VARCHAR(100) NOT NULL, extra JSON) ENGINE=InnoDB',
  `INSERT INTO lab.notes (title, extra) SELECT CONCAT('note ', seq), '{"n": 1}' FROM lab.seq_1_to_500`,
  'CREATE TABLE lab.tags (note_id INT, tag VARCHAR(20), PRIMARY KEY (note_id, tag), FOREIGN KEY (note_id) REFERENCES lab.notes (id))',
  // This engine knows no transactions: only the transaction's own mode keeps it from being written to.
  'CREATE TABLE lab.old (a INT) ENGINE=MyISAM',
  'CREATE FUNCTION lab.sneaky() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM lab.notes; RETURN 1; END',
  'CREATE FUNCTION lab.sneaky_old() RETURNS INT MODIFIES SQL DATA BEGIN INSERT INTO lab.old VALUES (1); RETURN 1; END',
  'CREATE SEQUENCE lab.counter',
  ...['reader', 'writer', 'powerful'].map((user) => `CREATE USER ${user}@'%' IDENTIFIED BY '${PASSWORD}'`),
  `GRANT ALL ON lab.* TO reader@'%'`,
  `GRANT ALL ON lab.* TO writer@'%'`,
  `GRANT ALL ON *.* TO powerful@'%'`,
]

async function asking(socketPath: string, sql: string): Promise<unknown[][]> {
  const connection = await mysql.createConnection({ socketPath, user: 'root' })
  try {
    const [rows] = await connection.query({ sql, rowsAsArray: true })
    // Statements without rows give a header in place of a list.
    return Array.isArray(rows) ? (rows as unknown[][]) : []
  } finally {
    connection.destroy()
  }
}
