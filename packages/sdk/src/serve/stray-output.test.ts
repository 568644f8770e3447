import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { divertStrayOutput } from './stray-output.ts'

function setUp() {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const read = (stream: PassThrough) => String(stream.read() ?? '')
  return { stdout, stderr, wire: () => read(stdout), log: () => read(stderr) }
}

it('sends stray writes to stderr and says so once (sec-39)', () => {
  const { stdout, stderr, wire, log } = setUp()
  const captured = stdout
  const console = new Console(stdout, stderr)
  const stray = divertStrayOutput(stdout, stderr)
  console.log('from console')
  stdout.write('from write\n')
  captured.write(Buffer.from('from captured\n'))
  stdout.end('from end\n')
  stray.write('{"message":1}\n')
  expect(wire()).toBe('{"message":1}\n')
  const [notice, ...rest] = log().trimEnd().split('\n')
  expect(notice).toContain('stdout carries protocol messages')
  expect(rest).toEqual(['from console', 'from write', 'from captured', 'from end'])
})

it('keeps the callback of a stray write', async () => {
  const { stdout, stderr } = setUp()
  divertStrayOutput(stdout, stderr)
  await new Promise<void>((resolve) => stdout.write('a', 'utf8', () => resolve()))
  await new Promise<void>((resolve) => stdout.write('b', () => resolve()))
})

it('is undone by restore', () => {
  const { stdout, stderr, wire, log } = setUp()
  const stray = divertStrayOutput(stdout, stderr)
  stray.restore()
  stray.restore()
  stdout.write('back\n')
  expect([wire(), log()]).toEqual(['back\n', ''])
  expect(Object.hasOwn(stdout, 'write')).toBe(false)
})
