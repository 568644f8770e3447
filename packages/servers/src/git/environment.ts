/**
 * The environment that git runs in. A repository's own configuration can name programs: hooks, filters, drivers, helpers,
 * editors. None of them may run because somebody looked at a repository, so each such setting is overridden, by name for
 * the fixed ones and one by one for those that the repository made up. Overrides travel in variables rather than as
 * `-c` arguments, since made-up names may contain `=`.
 */

import { plainEnvironment } from '../machine/program.ts'

export type Setting = readonly [key: string, value: string]

const NOWHERE = '/dev/null'

const FIXED: readonly Setting[] = [
  ['core.hooksPath', NOWHERE],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', ':'],
  ['core.askPass', ''],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', ''],
  ['core.alternateRefsCommand', 'true'],
  ['core.attributesFile', NOWHERE],
  ['core.excludesFile', NOWHERE],
  ['core.quotePath', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['sequence.editor', ':'],
  ['interactive.diffFilter', 'cat'],
  ['protocol.allow', 'never'],
  ['protocol.ext.allow', 'never'],
  ['credential.helper', ''],
  ['gpg.program', 'false'],
  ['commit.gpgSign', 'false'],
  ['tag.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['merge.verifySignatures', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['status.submoduleSummary', 'false'],
  ['diff.external', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.orderFile', NOWHERE],
  ['blame.ignoreRevsFile', ''],
  ['mailmap.file', NOWHERE],
  ['mailmap.blob', ''],
  ['color.ui', 'never'],
  ['rerere.enabled', 'false'],
  ['user.useConfigOnly', 'true'],
]

const FIXED_VARIABLES: { readonly [name: string]: string } = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: NOWHERE,
  GIT_CONFIG_GLOBAL: NOWHERE,
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  // No protocol has this name, so none is allowed, whatever the configuration says.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_MERGE_AUTOEDIT: 'no',
}

export function gitEnvironment(
  place: { readonly gitDirectory: string; readonly workTree: string },
  found: readonly Setting[],
): { [name: string]: string } {
  const env: { [name: string]: string } = {
    ...plainEnvironment(),
    ...FIXED_VARIABLES,
    // Both are said outright: git then looks for no other, and `core.worktree` has no say.
    GIT_DIR: place.gitDirectory,
    GIT_WORK_TREE: place.workTree,
  }
  const settings = [...FIXED, ...found]
  env.GIT_CONFIG_COUNT = String(settings.length)
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}

/** Overrides for the settings under names that a repository made up, as `git config --list --name-only -z` shows them. */
export function toOverrides(keys: Iterable<string>): Setting[] {
  const overrides = new Map<string, string>()
  for (const key of keys) {
    const first = key.indexOf('.')
    const last = key.lastIndexOf('.')
    const section = key.slice(0, first).toLowerCase()
    const name = key.slice(last + 1).toLowerCase()
    const group = key.slice(0, last)
    if (section === 'filter') {
      for (const part of ['clean', 'smudge', 'process']) overrides.set(`${group}.${part}`, '')
      overrides.set(`${group}.required`, 'false')
    } else if (section === 'submodule' && last > first) {
      overrides.set(`${group}.update`, 'none')
      overrides.set(`${group}.ignore`, 'all')
    } else {
      const value = valueFor(section, name)
      if (value !== undefined) overrides.set(key, value)
    }
  }
  return [...overrides]
}

/** The same three-way merge that git does by itself, for files whose driver is not to be run. */
const PLAIN_MERGE = 'git merge-file --marker-size=%L %A %O %B'

function valueFor(section: string, name: string): string | undefined {
  switch (`${section}.${name}`) {
    case 'diff.textconv':
      return 'cat'
    case 'diff.cachetextconv':
      return 'false'
    case 'diff.command':
    case 'hook.command':
      return 'true'
    case 'merge.driver':
      return PLAIN_MERGE
    case 'gpg.program':
    case 'gpg.defaultkeycommand':
    case 'remote.uploadpack':
    case 'remote.receivepack':
      return 'false'
    case 'remote.vcs':
    case 'credential.helper':
    case 'trailer.command':
    case 'trailer.cmd':
      return ''
    case 'remote.promisor':
      return 'false'
    default:
      return section === 'pager' ? 'false' : undefined
  }
}
