/**
 * The pages that people see: sign in, allow or refuse, sign out, errors. Plain HTML without scripts; everything that a
 * client says of itself is escaped, shortened, and shown as what it is: a claim.
 */

import { escapeHtml } from '@portico/sdk/internal-text'

interface LoginPage {
  readonly action: string
  readonly csrf: string
  readonly client: ShownClient
  /** Asks for a password alone. */
  readonly single: boolean
  readonly problem?: string
}

interface ConsentPage {
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
      <dt>It may</dt>${scopes.map(scopeLine).join('') || '<dd>nothing but see which user you are</dd>'}
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

/** The one scope that has the same meaning everywhere is explained; the others are the resource's own words. */
function scopeLine(scope: string): string {
  return `<dd><code>${toText(scope)}</code>${scope === 'offline_access' ? ' stay signed in while you are away' : ''}</dd>`
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
export const STYLE = `:root{color-scheme:light dark;--back:light-dark(#eef1f6,#12151b);--card:light-dark(#fff,#1c2129);--text:light-dark(#1a2130,#e6e9ef);
--soft:light-dark(#566074,#a3acbd);--line:light-dark(#d5dae3,#3a4250);--accent:light-dark(#2456c9,#7da2ff);--on-accent:light-dark(#fff,#0d1424);
--warn:light-dark(#8a5a00,#f0c067);--warn-back:light-dark(#fff6e0,#332a16)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem 1rem;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:27rem;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:0 10px 30px rgb(0 0 0/.08)}
h1{font-size:1.5rem;line-height:1.2;margin:0 0 .5rem}p{margin:.5rem 0}.note{color:var(--soft);font-size:.875rem}
label{display:block;margin:1rem 0;font-size:.875rem;font-weight:600}
input{display:block;width:100%;margin-top:.35rem;padding:.6rem .75rem;font:inherit;font-size:1rem;font-weight:400;color:inherit;background:var(--back);border:1px solid var(--line);border-radius:8px}
input:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
dl{margin:1.25rem 0;border:1px solid var(--line);border-radius:10px;padding:.25rem 1rem .75rem}
dt{margin-top:.6rem;font-size:.75rem;font-weight:600;color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
code{font:.875rem ui-monospace,monospace;padding:.1rem .4rem;background:var(--back);border-radius:5px}
.problem{margin:1rem 0;padding:.6rem .85rem;font-size:.875rem;color:var(--warn);background:var(--warn-back);border-radius:8px}
.buttons{display:flex;gap:.75rem;margin-top:1.5rem}
button{flex:1;padding:.65rem 1rem;font:inherit;font-weight:600;cursor:pointer;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:8px}
button:hover{filter:brightness(1.08)}.quiet{color:var(--text);background:none;border-color:var(--line)}`

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${toText(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${toText(title)}</h1>${body}</main></body></html>`
}

/** Also takes out what turns text around or hides it, so that a name cannot pass for something else. */
function toText(text: string): string {
  return escapeHtml(text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '').slice(0, 300))
}
