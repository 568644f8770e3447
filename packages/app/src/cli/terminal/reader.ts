/**
 * Commands in messages as this reader can type them: whoever came by `npx` or `npm start` has no `portico` in the path.
 * Standard error and help pass through here, so that no message has to know.
 */

interface Environment {
  readonly [name: string]: string | undefined
}

/** How the reader starts the command line: `portico`, or `npx portico` inside a project. */
function ownName(env: Environment): string {
  return env.npm_command === 'exec' || env.npm_lifecycle_event !== undefined ? 'npx portico' : 'portico'
}

/** How the reader starts the workbench once more. */
export function startName(env: Environment): string {
  return env.npm_lifecycle_event === 'start' ? 'npm start' : ownName(env)
}

/** Rewrites the commands that a message names between backticks. */
export function forReader(text: string, env: Environment): string {
  const name = ownName(env)
  return name === 'portico' ? text : text.replace(/`portico(?=[ `])/g, `\`${name}`)
}

/** The same for help, where usage and examples stand without backticks. */
export function helpForReader(text: string, env: Environment): string {
  const name = ownName(env)
  return name === 'portico' ? text : forReader(text, env).replace(/^(\s+|.*?usage\S*\s+)portico(?= )/gm, `$1${name}`)
}
