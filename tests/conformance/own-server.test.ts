/** The licensing client against our own server as it starts by default. */
import { describe } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { ownServerCases } from './own-server-cases.ts';

const server = sharedHttpServer();

describe('against our own server', () => ownServerCases(server));
