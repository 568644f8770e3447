/**
 * What in a command deserves a second look, in words for the person who approves it (sec-94). A table on purpose: a
 * pattern, how bad, and why. Patterns run over text from anybody's file, so each is linear in its length.
 */

type DangerLevel = 'danger' | 'caution'

interface DangerPattern {
  readonly code: string
  readonly level: DangerLevel
  readonly pattern: RegExp
  readonly message: string
}

/** Looked for in the whole command line, each word separated by one space. */
export const LINE_PATTERNS: readonly DangerPattern[] = [
  {
    code: 'download-and-run',
    level: 'danger',
    pattern:
      /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)\b[^|]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:\S{0,99}[/\\])?(?:ba|z|da|k|fi)?sh\b|\b(?:curl|wget)\b[^|]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:python\d?|node|perl|ruby|php)\b|\biex\b|\binvoke-expression\b/i,
    message: 'Downloads something and runs it at once, whatever it is that day',
  },
  {
    code: 'administrator',
    level: 'danger',
    pattern: /(?:^|[\s;&|(/\\])(?:sudo|doas|pkexec|runas|gsudo)(?=\s|$)|(?:^|[\s;&|])su\s{1,9}(?:-|root\b)/i,
    message: 'Runs as the administrator of this machine',
  },
  {
    code: 'deletes',
    level: 'danger',
    pattern:
      /\brm\s{1,9}(?:-[a-z]{0,9}\s{1,9}){0,5}-(?:[a-z]{0,9}[rf])|\brm\s{1,9}--(?:recursive|force)|\b(?:del|erase)\s{1,9}\/[sfq]|\b(?:rd|rmdir)\s{1,9}\/s|\bremove-item\b|\bfind\b[^|;]{0,300}\s-delete\b|\bshred\b/i,
    message: 'Deletes files or whole folders without asking',
  },
  {
    code: 'overwrites-disk',
    level: 'danger',
    pattern:
      /\bmkfs(?:\.\w{1,9})?\b|\bdd\b[^|;]{0,300}\bof=|>\s{0,9}\/dev\/(?:sd|nvme|disk|hd)|\bformat\s{1,9}[a-z]:|\bdiskpart\b/i,
    message: 'Writes to a disk directly and may erase it',
  },
  {
    code: 'hidden-code',
    level: 'danger',
    pattern:
      /\bbase64\b[^|;]{0,200}(?:\s-d\b|\s-D\b|--decode)|-e(?:nc|ncodedcommand)\b|\bfrombase64string\b|\batob\s{0,9}\(|\bb64decode\b|\bcertutil\b[^|;]{0,200}-decode|\bxxd\s{1,9}-r\b|\bBuffer\.from\([^)]{0,300}base64|\beval\s{0,9}[("'$]/i,
    message: 'Holds code in a form that cannot be read, or builds code as it runs',
  },
  {
    code: 'reads-secrets',
    level: 'danger',
    pattern:
      /(?:[~/\\]|%userprofile%|\$home)[/\\]?\.(?:ssh|aws|gnupg|kube|netrc|docker|azure|config[/\\]gcloud)\b|\/etc\/(?:shadow|sudoers|passwd)\b|\bid_(?:rsa|ed25519|ecdsa)\b|\bsecurity\s{1,9}(?:find|dump)-|login\.keychain|\.git-credentials\b/i,
    message: 'Reaches for keys, passwords or sign-in files',
  },
  {
    code: 'sends-environment',
    level: 'danger',
    pattern:
      /\b(?:printenv|env|set|export)\s{0,9}(?:\||>|&&\s{0,9}curl)|\$\((?:printenv|env)\)|`(?:printenv|env)`|\/proc\/(?:self|\d{1,9})\/environ|\bgci\s{1,9}env:|\bjson\.stringify\(process\.env\)/i,
    message: 'Takes the whole environment, with every secret that is in it',
  },
  {
    code: 'open-connection',
    level: 'danger',
    pattern:
      /\/dev\/(?:tcp|udp)\/|(?:^|[\s;&|(/\\])(?:nc|ncat|netcat|socat|telnet)(?:\.exe)?(?=\s|$)|\bmkfifo\b|\bSystem\.Net\.Sockets\b/i,
    message: 'Opens a bare network connection, as malware does',
  },
  {
    code: 'stays-after',
    level: 'danger',
    pattern:
      /\bcrontab\b|\blaunchctl\s{1,9}(?:load|bootstrap)|\bschtasks\b[^|;]{0,200}\/create|\bsystemctl\s{1,9}(?:enable|start)|\breg\s{1,9}add\b|(?:>>?|\btee\b(?:\s{1,9}-a)?)\s{0,9}\S{0,100}(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|authorized_keys)/i,
    message: 'Makes something run again later, without this program',
  },
  {
    code: 'loosens-permissions',
    level: 'danger',
    pattern:
      /\bchmod\s{1,9}(?:-R\s{1,9})?(?:[ugoa]{0,4}\+s|0?777|[2467]\d{3})\b|\bchown\s{1,9}(?:-R\s{1,9})?root\b|\bsetcap\b|\bicacls\b[^|;]{0,200}\/grant|\bset-executionpolicy\b|-executionpolicy\s{1,9}(?:bypass|unrestricted)|\bspctl\b|\bxattr\s{1,9}-d\b/i,
    message: 'Takes away a protection of this system',
  },
  {
    code: 'whole-machine',
    level: 'danger',
    pattern:
      /\s--privileged\b|docker\.sock\b|\s(?:-v|--volume)[= ](?:\/|[a-z]:\\):|\bsource=\/,|\s--pid[= ]host\b|\s--cap-add[= ](?:all|sys_admin)\b|\s--security-opt[= ](?:seccomp|apparmor)[=:]unconfined/i,
    message: 'Gives a container the whole machine, so that it contains nothing',
  },
  {
    code: 'no-verification',
    level: 'danger',
    pattern:
      /\s(?:--insecure|--no-check-certificate|--trusted-host|--no-verify-ssl|--strict-ssl[= ]false)\b|\bcurl\b[^|;]{0,300}\s-[a-z]{0,9}k[a-z]{0,9}\b/i,
    message: 'Does not check whom it talks to',
  },
  {
    code: 'network-tool',
    level: 'caution',
    pattern:
      /(?:^|[\s;&|(/\\])(?:curl|wget|ssh|scp|sftp|ftp|tftp|rsync|ngrok|cloudflared|bitsadmin|iwr|invoke-webrequest)(?:\.exe)?(?=\s|$)/i,
    message: 'Uses a tool that moves data over the network',
  },
  {
    code: 'other-registry',
    level: 'caution',
    pattern: /\s--(?:registry|index-url|extra-index-url|index|default-index)(?:[= ]|$)/i,
    message: 'Fetches packages from another place than usual',
  },
]

/** Environment variables that change what a program does before its own code runs. */
export const ENVIRONMENT_PATTERN =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONPATH|PYTHONHOME|PERL5OPT|PERL5LIB|RUBYOPT|RUBYLIB|BASH_ENV|ENV|PROMPT_COMMAND|SHELLOPTS|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_SSH_COMMAND|GIT_EXEC_PATH|PATH|PATHEXT|COMSPEC|NODE_TLS_REJECT_UNAUTHORIZED|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|HTTPS?_PROXY|ALL_PROXY|npm_config_\w+|PIP_INDEX_URL|UV_INDEX\w*|UV_DEFAULT_INDEX)$/i

/** Programs that take code as an argument, and the options that do. */
export const INLINE_CODE: ReadonlyMap<string, RegExp> = new Map([
  ...['node', 'nodejs', 'bun'].map((name) => [name, /^(?:-e|-p|-pe|--eval(?:=.*)?|--print(?:=.*)?)$/s] as const),
  ...['python', 'python2', 'python3', 'py', 'pypy'].map((name) => [name, /^-[A-Za-z]*c$/] as const),
  ...['perl', 'ruby'].map((name) => [name, /^-[A-Za-z]*[eE]$/] as const),
  ['php', /^-r$/],
  ['lua', /^-e$/],
  ['osascript', /^-e$/],
  ['deno', /^eval$/],
  ...['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'ash', 'busybox'].map((name) => [name, /^-[A-Za-z]*c$/] as const),
  ['cmd', /^\/[ckr]$/i],
  ...['powershell', 'pwsh'].map((name) => [name, /^[-/](?:c|co|com|comm|command|e|ec|enc|encodedcommand)$/i] as const),
])
