/** The yardstick: a Fastify with one POST route that takes and gives a little JSON and does nothing else. */
import { fastify } from 'fastify';
import { listen } from './listen.ts';

const app = fastify();
app.post('/', async () => ({ success: true }));
await listen(app);
