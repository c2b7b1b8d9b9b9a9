/** Messages about values that another page has; they reveal nothing about its owner. */
export const SLUG_TAKEN = 'The slug is already in use'
export const DOMAIN_TAKEN = 'The custom domain is already in use'
