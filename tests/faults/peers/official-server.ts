/** The official server on a port: `official-server.ts <1 or 2>`, the server of the interop suite. Prints its URL. */

type Open = () => Promise<{ readonly origin: string }>

const major = process.argv[2] === '1' ? '1' : '2'
// By its address: types of the official packages are checked where that suite is.
const { [`openSdk${major}Http`]: open } = (await import(
  new URL(`../../interop/peers/sdk-${major}-http.ts`, import.meta.url).href
)) as { [name: string]: Open }
const { origin } = await open!()
console.log(`${origin}/mcp`)
