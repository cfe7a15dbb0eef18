/** A reason why the server or an admin command cannot start, as one line for the person who started it. */

export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
