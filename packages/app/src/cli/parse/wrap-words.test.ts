import { describe, expect, it } from 'vitest'
import { sayError } from '../say-error.ts'
import { createPaint } from '../terminal/io.ts'
import { wrapWords } from './wrap-words.ts'

describe('lines of a terminal (newcomer 22)', () => {
  it('break between words, and never inside a command that fits on a line of its own', () => {
    const text = 'Let a client start this command, or serve it: `portico run ./server.ts --http 3000`.'
    expect(wrapWords(text, 40).split('\n')).toEqual([
      'Let a client start this command, or',
      'serve it:',
      '`portico run ./server.ts --http 3000`.',
    ])
  })

  it('keep their indentation, and break a command that fits nowhere', () => {
    expect(wrapWords('  Run `portico call a b c d` to see', 14)).toBe('  Run `portico\n  call a b c\n  d` to see')
  })

  it('are as wide as the terminal that errors are written to, and whole elsewhere', () => {
    const said: string[] = []
    const stderr = { isTTY: true, columns: 30 } as unknown as NodeJS.WriteStream
    const io = { say: (text: string) => void said.push(text), paint: createPaint(false), env: {}, stderr }
    sayError('standard input is a terminal, so no client can be at the other end', 'See `portico run --help`.', io)
    expect(said[0]?.split('\n').every((line) => line.length <= 30)).toBe(true)
    expect(said[0]?.replace(/\s+/g, ' ')).toBe(
      'error: standard input is a terminal, so no client can be at the other end See `portico run --help`.',
    )
    sayError('standard input is a terminal, so no client can be', undefined, {
      ...io,
      stderr: { isTTY: false } as unknown as NodeJS.WriteStream,
    })
    expect(said[1]).toBe('error: standard input is a terminal, so no client can be')
  })
})
