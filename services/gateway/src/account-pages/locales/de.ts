/** German texts of the account pages. */
import type { AccountTexts } from './account-texts.ts'

export const de: AccountTexts = {
  direction: 'ltr',
  labels: {
    organizationName: 'Organisation',
    name: 'Ihr Name',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    code: 'Code',
  },
  hints: {
    organizationName: 'Sichtbar für Ihr Team und in Benachrichtigungen.',
    newPassword: 'Mindestens 8 Zeichen.',
    code: 'Sechs Ziffern aus Ihrer Authenticator-App oder ein Ersatzcode.',
  },
  invalid: {
    organizationName: 'Geben Sie einen Namen mit 1 bis 100 Zeichen ein.',
    name: 'Geben Sie einen Namen mit 1 bis 100 Zeichen ein.',
    email: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
    password: 'Geben Sie Ihr Passwort ein.',
    newPassword:
      'Wählen Sie ein Passwort mit mindestens 8 Zeichen und höchstens 72 Byte, das nicht Ihre E-Mail-Adresse und nicht allzu verbreitet ist.',
    code: 'Geben Sie die sechs Ziffern Ihrer Authenticator-App oder einen Ersatzcode ein.',
  },

  problems: {
    fields: 'Einige Angaben sind ungültig. Prüfen Sie sie und versuchen Sie es erneut.',
    wrongLogin: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    wrongCode: 'Der Code ist falsch oder wurde bereits verwendet.',
    knownAddress: 'Ein Konto mit dieser Adresse besteht bereits. Melden Sie sich stattdessen an.',
    tooMany: 'Zu viele Versuche. Versuchen Sie es in {} erneut.',
    unavailable: 'Der Dienst ist gerade ausgelastet. Versuchen Sie es in einigen Sekunden erneut.',
    crossSite:
      'Das Formular wurde von einer anderen Website gesendet. Öffnen Sie diese Seite direkt und versuchen Sie es erneut.',
    malformed:
      'Die Anfrage konnte nicht gelesen werden. Gehen Sie zurück und versuchen Sie es erneut.',
    failed: 'Ein unerwarteter Fehler ist aufgetreten. Versuchen Sie es später erneut.',
  },
  problemTitle: 'Etwas ist schiefgegangen',

  setup: {
    title: 'Statusseite einrichten',
    intro: 'Legen Sie Ihre Organisation und ihr erstes Konto an. Ihm gehört alles Weitere.',
    submit: 'Konto anlegen',
    needed: 'Fast fertig',
    neededIntro:
      'Es gibt noch kein Konto. Öffnen Sie den Einrichtungslink, den der Dienst beim Start ausgegeben hat; er steht im Terminal von npm start oder im Protokoll des Gateways.',
    done: 'Bereits eingerichtet',
    doneIntro: 'Das erste Konto besteht, der Einrichtungslink ist deshalb nicht mehr gültig.',
  },
  signIn: {
    title: 'Anmelden',
    submit: 'Anmelden',
    forgot: 'Passwort vergessen?',
    register: 'Konto anlegen',
    passwordChanged: 'Ihr Passwort wurde geändert. Melden Sie sich mit dem neuen an.',
    code: 'Zwei-Faktor-Authentifizierung',
    codeIntro: 'Ihr Konto ist durch einen zweiten Faktor geschützt.',
    startOver: 'Mit einem anderen Konto anmelden',
    signOut: 'Abmelden',
  },
  register: {
    title: 'Konto anlegen',
    submit: 'Konto anlegen',
    closed: 'Die Registrierung ist geschlossen',
    closedIntro:
      'Neue Konten brauchen eine Einladung. Fragen Sie ein Mitglied Ihrer Organisation danach.',
    haveAccount: 'Mit einem bestehenden Konto anmelden',
  },
  invitation: {
    title: '{} beitreten',
    address: 'Die Einladung wurde an {} gesendet.',
    accept: 'Einladung annehmen',
    signIn: 'Als {} anmelden und annehmen',
    otherAccount: 'Sie sind als {} angemeldet. Melden Sie sich ab, um die Einladung anzunehmen.',
    notMine: 'Ich habe noch kein Konto',
    member: 'Sie sind bereits Mitglied dieser Organisation.',
    notAllowed: 'Ihre Adresse gehört zu keiner Domain, die diese Organisation zulässt.',
  },
  reset: {
    forgot: 'Passwort zurücksetzen',
    forgotIntro: 'Geben Sie Ihre E-Mail-Adresse ein, um einen Link für ein neues zu erhalten.',
    send: 'Link senden',
    sent: 'Prüfen Sie Ihr Postfach',
    sentIntro:
      'Falls ein Konto mit dieser Adresse besteht, ist eine E-Mail mit einem Link unterwegs. Der Link ist eine Stunde gültig.',
    title: 'Neues Passwort wählen',
    submit: 'Passwort speichern',
  },
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    intro: 'Bestätigen Sie, dass {} Ihre E-Mail-Adresse ist.',
    submit: 'Adresse bestätigen',
    done: 'Ihre E-Mail-Adresse ist bestätigt.',
  },
  invalidLink: {
    title: 'Dieser Link ist nicht gültig',
    intro: 'Er wurde bereits verwendet, ist abgelaufen oder unvollständig.',
  },
  account: {
    title: 'Sie sind angemeldet',
    pages: 'Ihre Statusseiten',
    noPages: 'Es gibt noch keine veröffentlichten Statusseiten.',
    documentation: 'API-Dokumentation',
    needsTwoFactor:
      'Ihre Organisation verlangt einen zweiten Faktor. Richten Sie ihn ein, bevor Sie fortfahren (siehe API-Dokumentation, two-factor).',
    unverified:
      'Ihre E-Mail-Adresse ist noch nicht bestätigt. Öffnen Sie den Link in der E-Mail, die wir Ihnen gesendet haben.',
    resend: 'E-Mail erneut senden',
  },
  home: { pages: 'Statusseiten', noPages: 'Es gibt noch keine öffentlichen Statusseiten.' },
}
