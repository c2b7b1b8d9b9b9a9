/** French texts of the account pages. */
import type { AccountTexts } from './account-texts.ts'

export const fr: AccountTexts = {
  direction: 'ltr',
  labels: {
    organizationName: 'Organisation',
    name: 'Votre nom',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    newPassword: 'Nouveau mot de passe',
    code: 'Code',
  },
  hints: {
    organizationName: 'Visible par votre équipe et dans les notifications.',
    newPassword: 'Au moins 8 caractères.',
    code: 'Six chiffres de votre application d’authentification, ou un code de secours.',
  },
  invalid: {
    organizationName: 'Saisissez un nom de 1 à 100 caractères.',
    name: 'Saisissez un nom de 1 à 100 caractères.',
    email: 'Saisissez une adresse e-mail telle que nom@example.com.',
    password: 'Saisissez votre mot de passe.',
    newPassword:
      'Choisissez un mot de passe d’au moins 8 caractères et d’au plus 72 octets, différent de votre adresse e-mail et peu courant.',
    code: 'Saisissez les six chiffres de votre application d’authentification, ou un code de secours.',
  },

  problems: {
    fields: 'Certaines saisies ne sont pas valides. Vérifiez-les et réessayez.',
    wrongLogin: 'L’adresse e-mail ou le mot de passe est incorrect.',
    wrongCode: 'Le code est incorrect ou a déjà été utilisé.',
    knownAddress: 'Un compte avec cette adresse existe déjà. Connectez-vous.',
    tooMany: 'Trop de tentatives. Réessayez dans {}.',
    unavailable: 'Le service est occupé pour le moment. Réessayez dans quelques secondes.',
    crossSite:
      'Le formulaire a été envoyé depuis un autre site. Ouvrez cette page directement et réessayez.',
    malformed: 'La requête n’a pas pu être lue. Revenez en arrière et réessayez.',
    failed: 'Une erreur inattendue s’est produite. Réessayez plus tard.',
  },
  problemTitle: 'Un problème est survenu',

  setup: {
    title: 'Configurer votre page d’état',
    intro: 'Créez votre organisation et son premier compte, qui sera propriétaire de tout.',
    submit: 'Créer le compte',
    needed: 'Presque prêt',
    neededIntro:
      'Aucun compte n’existe encore. Ouvrez le lien de configuration que le service a affiché au démarrage ; il se trouve dans le terminal de npm start ou dans le journal du gateway.',
    done: 'Déjà configuré',
    doneIntro: 'Le premier compte existe ; le lien de configuration n’est donc plus valide.',
  },
  signIn: {
    title: 'Se connecter',
    submit: 'Se connecter',
    forgot: 'Mot de passe oublié ?',
    register: 'Créer un compte',
    passwordChanged: 'Votre mot de passe a été modifié. Connectez-vous avec le nouveau.',
    code: 'Authentification à deux facteurs',
    codeIntro: 'Votre compte est protégé par un second facteur.',
    startOver: 'Se connecter avec un autre compte',
    signOut: 'Se déconnecter',
  },
  register: {
    title: 'Créer un compte',
    submit: 'Créer le compte',
    closed: 'Les inscriptions sont fermées',
    closedIntro:
      'Un nouveau compte nécessite une invitation. Demandez-en une à un membre de votre organisation.',
    haveAccount: 'Se connecter à un compte existant',
  },
  invitation: {
    title: 'Rejoindre {}',
    address: 'L’invitation a été envoyée à {}.',
    accept: 'Accepter l’invitation',
    signIn: 'Se connecter en tant que {} pour accepter',
    otherAccount: 'Vous êtes connecté en tant que {}. Déconnectez-vous pour accepter l’invitation.',
    notMine: 'Je n’ai pas encore de compte',
    member: 'Vous êtes déjà membre de cette organisation.',
    notAllowed: 'Votre adresse n’appartient à aucun domaine autorisé par cette organisation.',
  },
  reset: {
    forgot: 'Réinitialiser le mot de passe',
    forgotIntro: 'Saisissez votre adresse e-mail pour recevoir un lien.',
    send: 'Envoyer le lien',
    sent: 'Consultez votre boîte de réception',
    sentIntro:
      'Si un compte avec cette adresse existe, un e-mail contenant un lien est en route. Le lien est valable une heure.',
    title: 'Choisir un nouveau mot de passe',
    submit: 'Enregistrer le mot de passe',
  },
  verify: {
    title: 'Confirmer votre adresse e-mail',
    intro: 'Confirmez que {} est votre adresse e-mail.',
    submit: 'Confirmer l’adresse',
    done: 'Votre adresse e-mail est confirmée.',
  },
  invalidLink: {
    title: 'Ce lien n’est pas valide',
    intro: 'Il a déjà été utilisé, a expiré ou est incomplet.',
  },
  account: {
    title: 'Vous êtes connecté',
    pages: 'Vos pages d’état',
    noPages: 'Aucune page d’état n’est encore publiée.',
    documentation: 'Documentation de l’API',
    needsTwoFactor:
      'Votre organisation exige un second facteur. Configurez-le avant de continuer (voir la documentation de l’API, two-factor).',
    unverified:
      'Votre adresse e-mail n’est pas encore confirmée. Ouvrez le lien de l’e-mail que nous vous avons envoyé.',
    resend: 'Renvoyer l’e-mail',
  },
  home: { pages: 'Pages d’état', noPages: 'Il n’y a pas encore de page d’état publique.' },
}
