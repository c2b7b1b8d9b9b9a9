/** French texts of the frame, and of states and actions of every view. */
import type { application as model } from '../en/application.ts'

export const application: typeof model = {
  product: 'Status',
  skipToContent: 'Aller au contenu principal',
  navigation: {
    label: 'Navigation principale',
    overview: 'Vue d’ensemble',
    incidents: 'Incidents',
    components: 'Composants',
    start: 'Configuration',
  },
  account: {
    menu: 'Compte et paramètres',
    organization: 'Organisation',
    appearance: 'Apparence',
    system: 'Comme le système',
    light: 'Clair',
    dark: 'Sombre',
    language: 'Langue',
    settings: 'Compte',
    documentation: 'Documentation de l’API',
    signOut: 'Se déconnecter',
  },
  actions: {
    retry: 'Réessayer',
    saving: 'Enregistrement …',
    remove: 'Supprimer',
    skip: 'Ignorer cette étape',
    next: 'Étape suivante',
    copy: 'Copier l’adresse',
    copied: 'Adresse copiée',
    notCopied: 'L’adresse n’a pas été copiée. Sélectionnez-la et copiez-la vous-même.',
    openPage: 'Ouvrir la page',
  },
  pages: {
    label: 'Pages',
    previous: 'Page précédente',
    next: 'Page suivante',
    position: 'Page {page} sur {pages}',
  },
  image: {
    address: 'Adresse de l’image',
    choose: 'Choisir un fichier',
    uploading: 'Envoi en cours …',
    remove: 'Supprimer',
  },
  states: {
    loading: 'Chargement …',
    offline:
      'Vous êtes hors ligne. Les données peuvent être obsolètes ; les modifications seront envoyées dès que vous serez en ligne.',
    stale: 'Les données peuvent être obsolètes : aucune connexion au service depuis {time}.',
    notFound: 'Page introuvable',
    notFoundHint: 'L’adresse est incorrecte ou l’élément n’appartient pas à votre organisation.',
    toOverview: 'Aller à la vue d’ensemble',
    noPermission: 'Autorisation manquante',
    noPermissionHint:
      'Votre rôle ne le permet pas. Adressez-vous à un propriétaire de l’organisation.',
    unexpected: 'Cette vue n’a pas pu être affichée',
    unexpectedHint: 'Rien n’a été modifié. Rechargez-la ; si l’erreur persiste, signalez-la.',
    unreachable: 'Le service est injoignable',
    unreachableHint: 'Vérifiez votre connexion. La vue se charge dès que le service répond.',
    requestId: 'Requête {id}',
    sessionEnded: 'Votre session est terminée',
    sessionEndedHint:
      'Reconnectez-vous dans un nouvel onglet. Cette page reste telle quelle, avec tout ce que vous avez saisi.',
    signIn: 'Se connecter',
    signedIn: 'Vous êtes connecté. Vous pouvez fermer cet onglet.',
    conflict:
      'L’élément a été modifié entre-temps. Rechargez-le et recommencez votre modification.',
    tooMany: 'Trop de requêtes. Réessayez dans {seconds} s.',
  },
}
