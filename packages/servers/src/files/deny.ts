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
  'application_default_credentials.json',
  'token.json',
  'auth.json',
  '.credentials.json',
  '.dockerconfigjson',
  'kubeconfig',
  'terraform.tfvars',
  '*.auto.tfvars',
  'credentials.tfrc.json',
  '.terraformrc',
  'secrets.toml',
  'wallet.dat',
  '.password-store',
  '.oci',
  '.m2',
  '.gem',
  'logins.json',
  'key3.db',
  'key4.db',
  'cookies.sqlite*',
  'Login Data*',
  '**/Default/Cookies*',
  '**/Profile */Cookies*',
  '**/Network/Cookies*',
  '.mozilla',
  'google-chrome',
  // What Portico itself keeps: its secrets, tokens and the copies of the heads of its audit log.
  '.portico',
  '**/state/portico',
  '**/portico/state',
  '**/portico/secrets',
  '**/portico/tokens',
  '**/portico/gateway-tokens',
  'audit-heads*',
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
      return [relative, ...withoutLeftovers(relative)].some((path) => rules.ignores(path) || rules.ignores(`${path}/`))
    },
  }
}

/** What editors and people add to a name when they keep a copy of a file. */
const ADDED =
  /(?:\.?~\d*~?|[ ._-]+(?:bak|bkp|back|backup|old|orig|original|save[sd]?|sav|copy|prev|previous|tmp|temp|rej|dist|disabled|rpmnew|rpmsave|dpkg-\w+|sw[a-z]|un~)\d*|[._-]v?\d+|[ _-]*\(\d+\))$/i
const MAX_ADDED = 4
/** No file system has a longer one. */
const LONGEST_NAME = 255

/** The path with one name in it as it was before a copy was kept under another: `x` for `x~`, `x.bak`, `.x.swp`, `#x#`. */
function withoutLeftovers(path: string): string[] {
  const names = path.split('/')
  return names.flatMap((name, at) =>
    originalsOf(name).map((original) => [...names.slice(0, at), original, ...names.slice(at + 1)].join('/')),
  )
}

function originalsOf(name: string): string[] {
  if (name.length > LONGEST_NAME) return []
  const found = new Set<string>()
  let open = [name]
  for (let round = 0; round < MAX_ADDED && open.length > 0; round++) {
    open = open.flatMap(shortened).filter((one) => one !== '' && !/^\.+$/.test(one) && !found.has(one))
    for (const one of open) found.add(one)
  }
  return [...found]
}

function shortened(name: string): string[] {
  const extension = /(?<=.)\.[^.]+$/.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - extension.length)
  const plain = [
    name.replace(ADDED, ''),
    // Before the extension: `credentials (1).json`.
    stem.replace(ADDED, '') + extension,
    name.replace(/^#(.+)#$/, '$1'),
    name.replace(/^\.#/, ''),
    name.replace(/^copy of /i, ''),
  ]
  // Editors hide what they put beside `x`: `.x.swp`.
  const isSwap = /\.(?:sw[a-z]|un~)$/i.test(name)
  return (isSwap ? [...plain, name.replace(ADDED, '').replace(/^[._]/, '')] : plain).filter((one) => one !== name)
}

const FORGET_AFTER = 20_000

function create(patterns: readonly string[]): Ignore {
  return createIgnore({ ignorecase: true, allowRelativePaths: false }).add([...patterns])
}
