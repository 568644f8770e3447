import { expect, it } from 'vitest'
import { toChildEnvironment } from './child-process-environment.ts'

const rows = [
  {
    name: 'passes what programs need',
    source: { PATH: '/bin', LC_ALL: 'C', HOME: '/h' },
    result: { PATH: '/bin', LC_ALL: 'C', HOME: '/h' },
  },
  {
    name: 'holds back everything else (sec-47)',
    source: { AWS_SECRET_ACCESS_KEY: 's', NODE_OPTIONS: 'x', LD_PRELOAD: 'y' },
    result: {},
  },
  {
    name: 'skips exported shell functions',
    source: { TERM: '() { :; }; echo hacked', USER: 'u' },
    result: { USER: 'u' },
  },
  {
    name: 'adds what is configured',
    source: { PATH: '/bin' },
    configured: { TOKEN: 't', PATH: '/own' },
    result: { PATH: '/own', TOKEN: 't' },
  },
  {
    name: 'takes away what is configured as undefined',
    source: { PATH: '/bin', USER: 'u' },
    configured: { USER: undefined },
    result: { PATH: '/bin' },
  },
  {
    name: 'takes any name for a name',
    source: {},
    configured: JSON.parse('{"__proto__":"p"}'),
    result: JSON.parse('{"__proto__":"p"}'),
  },
  {
    name: 'knows the Windows list, whatever the case',
    platform: 'win32',
    source: { Path: 'C:\\', SystemRoot: 'C:\\W', HOME: 'h', GITHUB_TOKEN: 't' },
    result: { Path: 'C:\\', SystemRoot: 'C:\\W' },
  },
  {
    name: 'leaves one Path on Windows',
    platform: 'win32',
    source: { Path: 'C:\\' },
    configured: { PATH: 'D:\\' },
    result: { PATH: 'D:\\' },
  },
]

it.each(rows)('$name', ({ source, configured, platform = 'linux', result }) => {
  const environment = toChildEnvironment(source as { [name: string]: string }, configured, platform)
  expect(Object.entries(environment)).toEqual(Object.entries(result))
})
