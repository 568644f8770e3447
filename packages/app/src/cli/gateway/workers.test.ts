/** What a worker of `portico serve --workers` has for itself, on each kind of system. */

import { describe, expect, it } from 'vitest'
import { toWorkerSettings } from './workers.ts'

const io = { env: { PORTICO_SERVE_FOLDER: '/run/some', PORTICO_STATE_DIR: '/state' } }

describe('the settings of a worker', () => {
  it.each([
    ['linux', { folder: '/run/some' }],
    ['darwin', { folder: '/run/some' }],
    // No sockets in folders there: a port that is its own.
    ['win32', { host: '127.0.0.1' }],
  ] as const)('have a door that works on %s', (platform, door) => {
    expect(toWorkerSettings({}, 1, io, platform).state?.door).toEqual(door)
  })

  it('leave a door that is in the file as it is, and give each its own port for operations', () => {
    const given = { state: { sqlite: 'x.db', door: { port: 4100 } }, operations: { port: 9464 } }
    const settings = toWorkerSettings(given, 3, io, 'win32')
    expect([settings.state, settings.operations]).toEqual([given.state, { port: 9466 }])
  })
})
