/** What tests share: real databases, scripted far ends, callers; every helper tears itself down. */
export * from './catalogue.ts'
export * from './clock.ts'
export * from './database.ts'
export * from './eventually.ts'
export * from './model.ts'
export * from './smtp.ts'
export * from './target.ts'
