/**
 * What a spawned server may see of this process's environment: a short list that programs need to run at all, and what
 * the caller names. Credentials that happen to be around never reach a server by default (sec-47).
 */

export type Environment = { [name: string]: string | undefined }

const POSIX = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']

const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

/** The allowed part of `source`, with `configured` on top; a configured `undefined` takes a variable away. */
export function toChildEnvironment(
  source: Environment,
  configured: Environment = {},
  platform: string = process.platform,
): Environment {
  const isWindows = platform === 'win32'
  // Names are the user's own: without a prototype, `__proto__` is one like any other.
  const environment: Environment = Object.create(null)
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || !isInherited(name, isWindows)) continue
    // A value like `() { …` is a function that a shell exported, and some shells would run it.
    if (value.startsWith('()')) continue
    environment[name] = value
  }
  for (const [name, value] of Object.entries(configured)) {
    // Windows does not tell `Path` from `PATH`; two of them would leave the choice to chance.
    if (isWindows) for (const other of Object.keys(environment)) if (sameName(other, name)) delete environment[other]
    if (value === undefined) delete environment[name]
    else environment[name] = value
  }
  return environment
}

function isInherited(name: string, isWindows: boolean): boolean {
  if (isWindows) return WINDOWS.includes(name.toUpperCase())
  return POSIX.includes(name) || name.startsWith('LC_')
}

function sameName(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase()
}
