/** The ports that are taken where none is given: the commands and their help say the same. */

/** The same each time, so that a page that is still open finds the program again. */
export const WORKBENCH_PORT = 4630
export const DEV_PORT = 3000
export const GATEWAY_PORT = 3000
export const CHAT_BOT_PORT = 3100
