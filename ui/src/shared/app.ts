/** The name of the app, the same in every language. */
export const APP = 'Askdesk';
