/** A person with a browser, as far as signing in to the embedded authorization server needs one. */

export async function signIn(page: string, name: string, password: string): Promise<string> {
  const cookies = new Map<string, string>()
  const visit = async (url: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const { origin } = new URL(url)
    const init = form === undefined ? {} : { method: 'POST', body: form }
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie, ...(form && { origin }) } })
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    return response
  }
  let url = page
  let response = await visit(url)
  for (let step = 0; step < 20; step++) {
    const next = response.headers.get('location')
    if (next !== null) {
      url = new URL(next, url).href
      response = await visit(url)
      continue
    }
    const html = await response.text()
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(html) ?? []
    // A page without a form is the program's own: the person has come back.
    if (action === undefined) return html
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(html) ?? []
    const login = html.includes('type="password"')
    const fields: { [name: string]: string } = login
      ? { csrf, name, password, decision: 'login' }
      : { csrf, decision: 'allow' }
    url = new URL(action, url).href
    response = await visit(url, new URLSearchParams(fields))
  }
  throw new Error(`no way through ${page}`)
}
