import { describe, expect, it } from 'vitest'
import { refusedName, refusedPath } from './path-text.ts'

describe('refusedPath (sec-131: file paths sanitised)', () => {
  it.each([
    ['..', 'posix'],
    ['a/../b', 'posix'],
    ['a/..', 'posix'],
    ['..\\..\\etc', 'posix'],
    ['%2e%2e/etc', 'posix'],
    ['%2E%2e%2Fetc', 'posix'],
    ['%252e%252e%252fetc', 'posix'],
    ['a%2f..%2fb', 'posix'],
    ['a%5c..%5cb', 'posix'],
    ['．．/etc', 'posix'],
    ['a\0b', 'posix'],
    ['a%00b', 'posix'],
    ['//server/share', 'posix'],
    ['\\\\server\\share', 'posix'],
    ['\\\\?\\C:\\x', 'posix'],
    ['', 'posix'],
    ['file:///etc/passwd', 'posix'],
    ['~/x', 'posix'],
    ['x'.repeat(5000), 'posix'],
    ['\\\\.\\pipe\\x', 'win32'],
    ['C:x', 'win32'],
    ['C:\\x\\file.txt:stream', 'win32'],
    ['file.txt::$DATA', 'win32'],
    ['C:\\x\\NUL', 'win32'],
    ['C:\\x\\con.txt', 'win32'],
    ['aux', 'win32'],
    ['x/COM1', 'win32'],
    ['x/lpt².log', 'win32'],
    ['secret.txt.', 'win32'],
    ['secret.txt ', 'win32'],
    ['a<b', 'win32'],
    ['a?b', 'win32'],
  ] as const)('sec-131 refuses %j on %s', (text, style) => {
    expect(refusedPath(text, style)).toBeTypeOf('string')
  })

  it.each([
    ['a/b.txt', 'posix'],
    ['/home/me/..hidden/x', 'posix'],
    ['100%.txt', 'posix'],
    ['con', 'posix'],
    ['12:30.log', 'posix'],
    ['C:\\x\\console.txt', 'win32'],
    ['.gitignore', 'win32'],
  ] as const)('takes %j on %s', (text, style) => {
    expect(refusedPath(text, style)).toBeUndefined()
  })
})

it('sec-125: new names have nothing invisible in them', () => {
  expect(refusedName('evil\u202etxt.exe')).toBeTypeOf('string')
  expect(refusedName('a\u001b[2Jb')).toBeTypeOf('string')
  expect(refusedName('größe.txt')).toBeUndefined()
})
