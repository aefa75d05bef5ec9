// SPDX-License-Identifier: Apache-2.0

// A caller without the guard, in another language: one call to Echo with
// @grpc/grpc-js and its native retries, three attempts. Prints how many attempts
// it made and the status.
'use strict';
const grpc = require('@grpc/grpc-js');

const address = process.argv[2];
const status = Number(process.argv[3]);

const policy = {
  maxAttempts: 3,
  initialBackoff: '0.01s',
  maxBackoff: '0.01s',
  backoffMultiplier: 1,
  retryableStatusCodes: ['UNAVAILABLE'],
};
const config = {methodConfig: [{name: [{}], retryPolicy: policy}]};

// Request { plan { status } }, by hand: field 2 is the plan, its field 1 the
// status.
const plan = Buffer.from([0x08, status]);
const request =
    Buffer.concat([Buffer.from([0x12, plan.length]), plan]);

const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
  'grpc.service_config': JSON.stringify(config),
  'grpc.enable_http_proxy': 0,
});
const asIs = (bytes) => bytes;
client.makeUnaryRequest(
    '/retry_guard.test.Echo/Call', asIs, asIs, request, (error) => {
      console.log(`status ${error ? error.code : 0}`);
      client.close();
    });
