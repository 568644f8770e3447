export const trials: readonly import('../support/suite.ts').Trial[] = []
