/**
 * The pages that people see: sign in, allow or refuse, sign out, errors. Plain HTML without scripts; everything that a
 * client says of itself is escaped, shortened, and shown as what it is: a claim.
 */

export interface LoginPage {
  readonly action: string
  readonly csrf: string
  readonly client: ShownClient
  /** Asks for a password alone. */
  readonly single: boolean
  readonly problem?: string
}

export interface ConsentPage {
  readonly action: string
  readonly csrf: string
  readonly client: ShownClient
  readonly user: string
  readonly resources: readonly string[]
  readonly scopes: readonly string[]
}

export interface ShownClient {
  /** The name that the client gave itself. */
  readonly name: string
  /** The host whose document describes the client, where there is one: the only part that is proven. */
  readonly provenHost: string | undefined
  /** Where the code goes: host, or scheme of an app. */
  readonly redirectTo: string
  /** Whether anything on the user's machine could be receiving it. */
  readonly local: boolean
}

export function loginPage({ action, csrf, client, single, problem }: LoginPage): string {
  const name = '<label>Name <input name="name" autocomplete="username" required autofocus></label>'
  return page(
    'Sign in',
    `<p>to go on to <strong>${toText(client.name)}</strong></p>
    ${problem === undefined ? '' : `<p class="problem" role="alert">${toText(problem)}</p>`}
    <form method="post" action="${toText(action)}">
      <input type="hidden" name="csrf" value="${toText(csrf)}">
      ${single ? '' : name}
      <label>Password <input name="password" type="password" autocomplete="current-password" required${single ? ' autofocus' : ''}></label>
      <div class="buttons"><button name="decision" value="login">Sign in</button>
      <button name="decision" value="cancel" class="quiet" formnovalidate>Cancel</button></div>
    </form>`,
  )
}

export function consentPage({ action, csrf, client, user, resources, scopes }: ConsentPage): string {
  const proven =
    client.provenHost === undefined
      ? 'The application gave itself this name; nobody has checked it.'
      : `Described at ${toText(client.provenHost)}.`
  const warning = client.local
    ? '<p class="problem">It receives access on this computer, where any program could pose as it. Go on only if you have just started it yourself.</p>'
    : ''
  return page(
    'Allow access?',
    `<p><strong>${toText(client.name)}</strong> asks for access in the name of <strong>${toText(user)}</strong>.</p>
    <p class="note">${proven}</p>
    <dl>
      <dt>To</dt>${resources.map((resource) => `<dd>${toText(resource)}</dd>`).join('')}
      <dt>It may</dt>${scopes.map((scope) => `<dd><code>${toText(scope)}</code></dd>`).join('') || '<dd>nothing beyond knowing who you are</dd>'}
      <dt>Sent to</dt><dd>${toText(client.redirectTo)}</dd>
    </dl>
    ${warning}
    <form method="post" action="${toText(action)}">
      <input type="hidden" name="csrf" value="${toText(csrf)}">
      <div class="buttons"><button name="decision" value="allow">Allow</button>
      <button name="decision" value="cancel" class="quiet">Refuse</button></div>
    </form>`,
  )
}

/** `form` is the library's own, with its hidden fields. */
export function logoutPage(form: string): string {
  return page(
    'Sign out?',
    `${form}<div class="buttons"><button form="op.logoutForm" name="logout" value="yes">Sign out</button>
    <button form="op.logoutForm" class="quiet">Stay signed in</button></div>`,
  )
}

export function messagePage(title: string, text: string): string {
  return page(title, `<p>${toText(text)}</p>`)
}

/** The one style sheet, named by its digest in the policy of every page. */
export const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .5rem}label{display:block;margin:.75rem 0}input{display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem}
dt{margin-top:.75rem;font-weight:600}dd{margin:0;overflow-wrap:anywhere}.note{opacity:.75}.problem{border-left:4px solid #c33;padding-left:.75rem}
.buttons{display:flex;gap:.75rem;margin-top:1.25rem}button{font:inherit;padding:.5rem 1.25rem;cursor:pointer}.quiet{opacity:.8}`

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toText(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${toText(title)}</h1>${body}</main></body></html>`
}

/** Also takes out what turns text around or hides it, so that a name cannot pass for something else. */
function toText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .slice(0, 300)
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
