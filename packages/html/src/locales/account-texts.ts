/** Texts of the account pages in one language; `{}` is the placeholder of a name or a number. */

/** Fields of the forms; each has a label and one message for every kind of invalid input. */
export const formFields = [
  'organizationName',
  'name',
  'email',
  'password',
  'newPassword',
  'code',
  'appCode',
  'ssoAccount',
  'pageName',
  'slug',
  'urls',
  'visibility',
  'pagePassword',
] as const
export type FormField = (typeof formFields)[number]

export interface AccountTexts {
  labels: Record<FormField, string>
  hints: Partial<Record<FormField, string>>
  invalid: Record<FormField, string>

  problems: {
    fields: string
    wrongLogin: string
    wrongCode: string
    knownAddress: string
    /** The placeholder is a duration. */
    tooMany: string
    unavailable: string
    crossSite: string
    forbidden: string
    malformed: string
    failed: string
  }
  problemTitle: string

  setup: {
    title: string
    intro: string
    submit: string
    needed: string
    neededIntro: string
    done: string
    doneIntro: string
  }
  signIn: {
    title: string
    submit: string
    forgot: string
    register: string
    passwordChanged: string
    code: string
    codeIntro: string
    startOver: string
    signOut: string
    sso: string
    ssoRequired: string
  }
  sso: {
    title: string
    intro: string
    submit: string
    unknown: string
    redirecting: string
    open: string
    accepted: string
  }
  register: {
    title: string
    submit: string
    closed: string
    closedIntro: string
    haveAccount: string
  }
  /** The placeholder is the name of the organization, or the e-mail address. */
  invitation: {
    title: string
    address: string
    accept: string
    signIn: string
    otherAccount: string
    notMine: string
    member: string
    notAllowed: string
  }
  reset: {
    forgot: string
    forgotIntro: string
    send: string
    sent: string
    sentIntro: string
    title: string
    submit: string
  }
  verify: {
    title: string
    intro: string
    submit: string
    done: string
  }
  invalidLink: { title: string; intro: string }
  account: {
    title: string
    pages: string
    noPages: string
    documentation: string
    dashboard: string
    needsTwoFactor: string
    unverified: string
    back: string
    resend: string
  }
  newPage: {
    title: string
    intro: string
    submit: string
    later: string
    visibilities: Record<'public' | 'password' | 'members', string>
    takenSlug: string
    /** The placeholder is a list of addresses. */
    unusableUrls: string
  }
  overview: {
    published: string
    unpublished: string
    open: string
    checks: string
    reachable: string
    failing: string
    unchecked: string
    reasons: Record<'name' | 'connection' | 'certificate' | 'timeout' | 'other', string>
  }
  twoFactor: {
    title: string
    off: string
    start: string
    scan: string
    qrCode: string
    secret: string
    confirm: string
    expired: string
    startOver: string
    on: string
    /** The placeholder is a number. */
    remaining: string
    codes: string
    codesIntro: string
    done: string
    renew: string
    disable: string
    disabled: string
    required: string
    wrongPassword: string
  }
  home: { pages: string; noPages: string }
}
