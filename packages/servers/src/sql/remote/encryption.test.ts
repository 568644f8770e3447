import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createSqlServer } from '../server.ts'

/** MySQL's first message, which says that it can encrypt. */
const GREETING = Buffer.concat([
  Buffer.from('\x0a8.0.30\0'),
  Buffer.from([1, 0, 0, 0]),
  Buffer.from('12345678\0'),
  Buffer.from([0xff, 0xff, 255, 2, 0, 0xff, 0xdf, 21]),
  Buffer.alloc(10),
  Buffer.from('123456789012\0mysql_native_password\0'),
])
const WANTS_TLS = 0x800

/** What a database that can encrypt hears first. */
async function heard(scheme: string, words: string): Promise<Buffer> {
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    if (scheme === 'mysql') {
      const head = Buffer.alloc(4)
      head.writeUIntLE(GREETING.length, 0, 3)
      socket.write(Buffer.concat([head, GREETING]))
    }
    socket.once('data', (data) => {
      listener.emit('heard', data)
      socket.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const first = once(listener, 'heard')
  const url = `${scheme}://someuser:secret-word@127.0.0.1:${port}/d?${words}`
  const made = createSqlServer({ url, timeoutMs: 5_000 }).then(
    () => Promise.reject(new Error('that is no database')),
    (error: unknown) => error,
  )
  const refused = made.then((error) => Promise.reject(error))
  try {
    const [data] = await Promise.race([first, refused])
    return data
  } finally {
    await made
    listener.close()
  }
}

describe('what a url says about encryption', () => {
  it.each([
    'ssl-mode=VERIFY_IDENTITY',
    'ssl-mode=VERIFY_CA',
    'ssl-mode=REQUIRED',
    'ssl-mode=preferred',
    'ssl-mode=Verify-Ca',
    'sslmode=require',
    'sslmode=verify-full',
    'ssl=1',
    'ssl=required',
  ])('MySQL is told nothing in plain text with %s (sec-790)', async (words) => {
    const data = await heard('mysql', words)
    expect(data.readUInt32LE(4) & WANTS_TLS).toBe(WANTS_TLS)
    expect(data.includes('someuser')).toBe(false)
  })

  it.each(['ssl-mode=DISABLED', 'ssl=false', ''])(
    'MySQL is connected to without where that is said: %s',
    async (words) => {
      expect((await heard('mysql', words)).readUInt32LE(4) & WANTS_TLS).toBe(0)
    },
  )

  it.each([
    'ssl-mode=VERIFY_IDENTITI',
    'ssl-mode=',
    'ssl={"rejectUnauthorized":true}',
    'SSLMODE=require',
    'tls=true',
    'useSSL=true',
    'ssl-ca=/ca.pem',
    'ssl-mode=REQUIRED&ssl=false',
    'ssl-mode=REQUIRED&ssl-mode=DISABLED',
  ])('MySQL is not connected to where the words are not understood: %s (sec-790)', async (words) => {
    await expect(heard('mysql', words)).rejects.toMatchObject({ code: 'invalid-arguments' })
    await expect(heard('mysql', words)).rejects.not.toThrow(/secret-word/)
  })

  it.each(['sslmode=require', 'sslmode=verify-full', 'ssl=true'])(
    'PostgreSQL is asked for encryption first with %s',
    async (words) => {
      const data = await heard('postgres', words)
      expect([...data]).toEqual([0, 0, 0, 8, 4, 210, 22, 47])
    },
  )

  it.each([
    'ssl-mode=REQUIRED',
    'SSLMODE=require',
    'tls=true',
    'ssl=require',
    'ssl=',
    'sslmode=VERIFY_FULL',
    'sslmode=require&sslmode=disable',
  ])('PostgreSQL is not connected to where the words are not understood: %s (sec-790)', async (words) => {
    await expect(heard('postgres', words)).rejects.toMatchObject({ code: 'invalid-arguments' })
  })
})
