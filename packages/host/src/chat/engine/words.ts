/** What a chat host says itself, in one place. */

import type { ChannelBudget } from './settings.ts'

const PARTS: { readonly [part in keyof Required<ChannelBudget>]: string } = {
  turns: 'messages',
  calls: 'tool calls',
  tokens: 'tokens',
  cost: 'money',
}

export const WORDS = {
  calling: (tool: string) => `Calling ${tool}…`,
  waiting: (tool: string) => `Waiting for an answer about ${tool}…`,
  stopped: 'Stopped.',
  stopping: 'I am being restarted, so I stopped here. Ask again in a while if you still need it.',
  deleted: 'Cancelled: the message was deleted.',
  edited:
    'You changed your message while I was working on it. I answer it as it was; send the change as a new message.',
  failed: (message: string) => `This did not work: ${message}`,
  broken: 'Something went wrong on my side, and whoever runs me has been told. Please try again.',
  budget: (part: keyof ChannelBudget) =>
    `This channel has used up its ${PARTS[part]} for today. It begins again at midnight (UTC).`,
  filesLeftOut: (count: number) =>
    `${count === 1 ? 'One file' : `${count} files`} of the tools' results could not be shown here: too large, too many, or of a kind that is not passed on.`,
  fileRefused: (name: string, why: string) => `I did not read the file ${name}: it ${why}.`,
  tooManyFiles: (most: number) => `I read the first ${most} files only.`,
  notHere: 'I do not answer in this channel. Whoever runs me decides where I do.',
  notYou: 'I do not answer people of other workspaces, or people who were not named by whoever runs me.',
  tooLong: (most: number) => `This message is too long for me: ${most} characters at most.`,
  full: {
    person:
      'You have sent more than I can take at once. I left out what came after; send it again when I have answered.',
    channel: 'There is too much going on in this channel at the moment. Please try again in a while.',
    all: 'There is too much going on at the moment. Please try again in a while.',
  },
  notYours: 'This is for somebody else to answer.',
  notWaiting: 'This no longer waits for an answer.',
  interrupted:
    ' I was restarted in the middle of this. What had been done stays done and nothing is done twice. Ask again if you still need it.',
  notBegun: ' I was restarted before I came to this, and nothing was done. Please ask again.',
  interruptedAnswer: 'I was restarted while I wrote this.',
  threadTooLong:
    'This conversation has become too long to be kept. In this thread I begin anew; a new thread is better.',
  signInNeeded: (server: string) => `"${server}" wants you to sign in before I can use it for you.`,
  signInImpossible: (server: string) =>
    `"${server}" wants you to sign in, and I have no address for that. Whoever runs me has to set one.`,
  signInLink: (server: string) => `Sign in for "${server}" here. The link is for you alone; do not pass it on.\n`,
  signedIn: (server: string) => `You are signed in to "${server}". Ask again what you wanted.`,
  notSignedIn: (server: string, why: string) => `You are not signed in to "${server}": ${why}`,
  taskDone: (tool: string) => `The task ${tool} has ended.`,
  allowed: ' allowed it: ',
  denied: ' denied it: ',
  answered: ' answered: ',
  nobody: 'nobody in the chat can answer it',
  noLonger: 'No longer asked: ',
  inFile: (name: string) => `All of it is in the file ${name}, which I have put into this thread.\n`,
  tooLarge: 'It was too large to be shown, so it was not allowed.',
} as const
