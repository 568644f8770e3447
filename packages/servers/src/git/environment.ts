/**
 * The environment that git runs in. The settings here hold in every repository and, unlike those of a file, also in what git
 * starts by itself inside of a submodule.
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

/** What git itself is run with. `shared` is the folder whose configuration it reads. */
export function gitEnvironment(place: {
  readonly gitDirectory: string
  readonly workTree: string
  readonly objects: string
  readonly shared: string
}): { [name: string]: string } {
  return {
    ...bareEnvironment(),
    // All are said outright: git then looks for no other, and `core.worktree` and `commondir` have no say.
    GIT_DIR: place.gitDirectory,
    GIT_WORK_TREE: place.workTree,
    GIT_OBJECT_DIRECTORY: place.objects,
    GIT_COMMON_DIR: place.shared,
  }
}

/** How many settings are said in the environment; those of one run are numbered after them, and win. */
export const FIXED_SETTINGS = FIXED.length

/** The same without a repository. */
export function bareEnvironment(): { [name: string]: string } {
  const env: { [name: string]: string } = { ...plainEnvironment(), ...FIXED_VARIABLES, GIT_DIR: NOWHERE }
  env.GIT_CONFIG_COUNT = String(FIXED.length)
  for (const [index, [key, value]] of FIXED.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}
