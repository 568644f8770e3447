import { loadEntry, SERVER_NAMES } from '@portico/servers'
import { describe, expect, it } from 'vitest'
import { createPaint } from '../terminal/io.ts'
import type { Command } from './command.ts'
import { commandHelp } from './help.ts'
import { parseCommand } from './parse.ts'

const command: Command = {
  name: 'trial',
  about: 'A trial',
  positionals: [{ name: 'target', about: 'What to try', optional: true, rest: true }],
  flags: {
    sandbox: { type: 'boolean', about: 'One that is on' },
    'no-sandbox': { type: 'boolean', about: 'One whose own name begins so' },
    color: { type: 'boolean', about: 'A switch' },
    port: { type: 'number', about: 'A number' },
  },
  examples: [],
  load: () => Promise.reject(new Error('parsed, not run')),
}

const flagsOf = (...words: string[]) => parseCommand(command, words).flags

describe('switches (servers 5)', () => {
  it.each([
    [['--no-sandbox'], { 'no-sandbox': true }],
    [['--sandbox'], { sandbox: true }],
    [['--no-no-sandbox'], { 'no-sandbox': false }],
    [['--color'], { color: true }],
    [['--no-color'], { color: false }],
    [[], {}],
  ] as const)('%j', (words, expected) => {
    const set = Object.entries(flagsOf(...words)).filter(([, value]) => value !== undefined)
    expect(Object.fromEntries(set)).toEqual(expected)
  })

  it.each(['--no-port', '--no-such', '--no-sandbox=true'])('%s is no switch, and says so', (word) => {
    expect(() => flagsOf(word)).toThrow('trial:')
  })
})

describe('the ready-made servers', () => {
  it.each(SERVER_NAMES)('servers 5: every switch of %s can be given by its name', async (name) => {
    const { options } = await loadEntry(name)
    const toFlag = (option: string): string => option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const switches = Object.entries(options).filter(([, { type }]) => type === 'boolean')
    const flags: Command['flags'] = Object.fromEntries(
      switches.map(([option, { about }]) => [toFlag(option), { type: 'boolean', about }]),
    )
    for (const flag of Object.keys(flags)) {
      expect(parseCommand({ ...command, flags }, [`--${flag}`]).flags[flag], flag).toBe(true)
    }
  })
})

describe('a switch (newcomer 22)', () => {
  it.each([
    [['--color', 'false'], '--color is a switch', '`--no-color`'],
    [['--no-color', 'true'], '--no-color is a switch', '`--no-color`'],
    [['--color', 'true'], '--color is a switch', '`--color`'],
  ])('takes no value: %j', (words, message, remedy) => {
    expect(() => flagsOf(...words)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        remedy: expect.stringContaining(remedy),
      }),
    )
  })

  it('that is on by itself is shown with how it is switched off', () => {
    const ask = { type: 'boolean', about: 'Ask before every run.', fallback: 'true' } as const
    expect(commandHelp({ ...command, flags: { ask } }, createPaint(false))).toMatch(
      /--ask, --no-ask +Ask before every run\. \(on unless switched off\)/,
    )
  })
})
