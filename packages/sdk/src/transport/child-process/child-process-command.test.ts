import { describe, expect, it } from 'vitest'
import { toSpawnCommand } from './child-process-command.ts'

const files = new Set(['C:\\node\\npx.CMD', 'C:\\node\\node.EXE', 'C:\\my tools\\run.bat', 'C:\\work\\local.cmd'])
const environment = { Path: 'C:\\node;C:\\my tools', PATHEXT: '.EXE;.CMD;.BAT', ComSpec: 'C:\\W\\cmd.exe' }

function onWindows(command: string, args: string[] = []) {
  const isFile = (path: string) => [...files].some((file) => file.toLowerCase() === path.toLowerCase())
  return toSpawnCommand(command, args, environment, { cwd: 'C:\\work', platform: 'win32', isFile })
}

it('leaves a command as it is on POSIX', () => {
  const command = toSpawnCommand('npx', ['$HOME; rm'], {}, { cwd: '/', platform: 'linux' })
  expect(command).toEqual({ file: 'npx', args: ['$HOME; rm'], verbatim: false })
})

describe('on Windows', () => {
  it('runs programs directly', () => {
    expect(onWindows('node', ['a b'])).toEqual({ file: 'C:\\node\\node.EXE', args: ['a b'], verbatim: false })
  })

  it('leaves a command that is not found to the system, which says so', () => {
    expect(onWindows('nowhere')).toEqual({ file: 'nowhere', args: [], verbatim: false })
  })

  it('does not look for a bare name in the working directory', () => {
    expect(onWindows('local').file).toBe('local')
    expect(onWindows('.\\local').file).toBe('C:\\W\\cmd.exe')
  })

  it('runs batch files through cmd.exe', () => {
    const { file, args, verbatim } = onWindows('npx', ['-y', 'thing'])
    expect({ file, verbatim, flags: args.slice(0, 3) }).toEqual({
      file: 'C:\\W\\cmd.exe',
      verbatim: true,
      flags: ['/d', '/s', '/c'],
    })
    expect(calledWith(args[3] ?? '')).toBe('C:\\node\\npx.CMD "-y" "thing"')
  })

  const hostile = [
    '& calc.exe',
    '" & calc.exe & "',
    '%PATH%',
    'a|b',
    '>out',
    '^',
    '!x!',
    'back\\slash\\',
    '\\"',
    '(x)',
    '',
  ]
  it.each(hostile)('lets no argument of a batch file end its command line: %s', (arg) => {
    const line = onWindows('npx', [arg]).args[3] ?? ''
    const inner = line.slice(1, -1)
    expect(line.startsWith('"') && line.endsWith('"')).toBe(true)
    // Read once by cmd.exe and once more by the batch file, no special character is ever bare.
    expect(bareSpecials(inner)).toEqual([])
    expect(bareSpecials(unescapeOnce(inner).slice('C:\\node\\npx.CMD '.length))).toEqual([])
    expect(programArgument(calledWith(line))).toBe(arg)
  })

  it.each(['a\nb', 'a\rb', 'a\0b'])('refuses line breaks for batch files', (arg) => {
    expect(() => onWindows('npx', [arg])).toThrow(/line breaks/)
  })
})

/** What one reading by cmd.exe leaves: each caret gone, the character after it kept. */
function unescapeOnce(line: string): string {
  return line.replace(/\^(.)/g, '$1')
}

/** What the program behind the batch file is called with: the name is read once, the arguments twice. */
function calledWith(line: string): string {
  const once = unescapeOnce(line.slice(1, -1))
  const space = once.indexOf(' ')
  return once.slice(0, space + 1) + unescapeOnce(once.slice(space + 1))
}

function bareSpecials(line: string): string[] {
  return [...line.replace(/\^./g, '').matchAll(/[&|<>%!"()^]/g)].map(([special]) => special)
}

/** The first argument as a C program's start-up code reads it. */
function programArgument(line: string): string {
  const quoted = line.slice(line.indexOf(' ') + 2, -1)
  return quoted
    .replace(/(\\+)$/, (slashes) => slashes.slice(slashes.length / 2))
    .replace(/(\\*)\\"/g, (_, slashes: string) => `${slashes.slice(slashes.length / 2)}"`)
}
