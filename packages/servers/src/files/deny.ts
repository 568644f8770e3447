/**
 * Names that are never read, written or moved, since what they hold is usually a secret. Every pattern is about one name
 * in a path, so that moving a folder cannot bring a file out from under it. `confine.ts` asks for each path it resolves.
 */

import createIgnore, { type Ignore } from 'ignore'

/** The default of the option `deny`. */
export const DENIED: readonly string[] = [
  '.env*',
  '*.env',
  '.dev.vars*',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  '*.p8',
  'secring.*',
  'credentials.json',
  'service-account*.json',
  'service_account*.json',
  'client_secret*.json',
  'secrets.json',
  'secrets.y*ml',
  '*.tfstate',
  '*.tfstate.*',
  '.terraform.d',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '!*.pub',
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  'gcloud',
  '.git',
  '.git-credentials',
  '.my.cnf',
  '.mylogin.cnf',
  '.dockercfg',
  '.s3cfg',
  '.boto',
  '.vault_pass*',
  '.vault-pass*',
  '.yarnrc.yml',
  'credentials.toml',
  'rclone.conf',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  '.rediscli_history',
  '**/.config/gh',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.htpasswd',
  '.vault-token',
]

export interface DenyList {
  /** Takes a path relative to its configured directory, with `/` between names. Letter case does not matter. */
  refuses(relative: string): boolean
}

export function createDenyList(patterns: readonly string[]): DenyList {
  let rules: Ignore = create(patterns)
  let asked = 0
  return {
    refuses(relative) {
      if (relative === '') return false
      // The library remembers every path it was ever asked about; starting over keeps that bounded.
      if (++asked % FORGET_AFTER === 0) rules = create(patterns)
      return rules.ignores(relative) || rules.ignores(`${relative}/`)
    },
  }
}

const FORGET_AFTER = 20_000

function create(patterns: readonly string[]): Ignore {
  return createIgnore({ ignorecase: true, allowRelativePaths: false }).add([...patterns])
}
